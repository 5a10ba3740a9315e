export function ShellPanel() {
  return null
}
