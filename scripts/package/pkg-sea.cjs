// Lets pkg make a single executable application: `node pkg-sea.cjs <options as JSON>`. A process of its own, since pkg
// takes its cache and its temporary folder from the environment.
const { default: sea } = require('@yao-pkg/pkg/lib-es5/sea.js')

const { main, ...options } = JSON.parse(process.argv[2])
sea(main, options)
