// Loaded into pkg while it packages, to change three things.
//
// The loader that it puts into the executable asks for the home
// folder at every start, and ends the program when the user id has no name and HOME is not set, as in
// containers with a user of their own. We unpack native parts ourselves (src/native-cache.ts), so
// any other folder will do there.
//
// Node writes the path of the loader into the executable, and pkg gives it one in a temporary folder of
// a random name: relative to that folder, in which pkg runs Node, it is the same in every build.
//
// The heap for new objects is kept small: Node lets it grow to three times 16 MiB, and never gives back
// what a burst of requests took.
const promises = require('node:fs/promises')
const { basename } = require('node:path')

const LOADER = 'sea-bootstrap.bundle.js'
const copyFile = promises.copyFile

promises.copyFile = async (from, to, mode) => {
  await copyFile(from, to, mode)
  if (!String(from).endsWith(LOADER)) return
  const text = await promises.readFile(to, 'utf8')
  // No quotes: the same code is there a second time, as a string for worker threads.
  const changed = text.replaceAll(
    'join(homedir(),',
    'join((()=>{try{return homedir()}catch{return process.cwd()}})(),',
  )
  if (changed === text) throw new Error(`${LOADER} of pkg has changed: look at pkg-preload.cjs`)
  await promises.writeFile(to, changed)
}

const CONFIG = 'sea-config.json'
const writeFile = promises.writeFile

promises.writeFile = async (file, data, options) => {
  if (basename(String(file)) !== CONFIG) return writeFile(file, data, options)
  const config = { ...JSON.parse(data), execArgv: ['--max-semi-space-size=8'] }
  return writeFile(file, JSON.stringify({ ...config, main: basename(config.main) }), options)
}
