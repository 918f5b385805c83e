
// Stands at the end of every component's module: its data come as JSON in UTF-8.
export default (given) => draw({ ...given, data: JSON.parse(new TextDecoder().decode(given.data)) })
