// The files of a signed-in person: a folder as a listing, a file in its viewer or the editor.

export function FilesScreen() {
  return <div id="listing" />
}
