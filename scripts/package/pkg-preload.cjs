// Loaded into pkg while it packages. The loader that it puts into the executable asks for the home
// folder at every start, and ends the program when the user id has no name and HOME is not set, as in
// containers with a user of their own. We unpack native parts ourselves (src/native-cache.ts), so
// any other folder will do there.
const promises = require('node:fs/promises')

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
