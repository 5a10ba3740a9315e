// A public share: a file or a folder, for anyone who has the link.

export function ShareScreen() {
  return <main id="main" />
}
