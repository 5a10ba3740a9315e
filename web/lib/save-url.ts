/** Lets the browser save what an address gives, without leaving the page. */
export function saveUrl(url: string, name: string) {
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.rel = 'noopener'
  document.body.append(link)
  link.click()
  link.remove()
}

export function saveBlob(blob: Blob, name: string) {
  const url = URL.createObjectURL(blob)
  saveUrl(url, name)
  // The browser has taken the bytes over once the click was handled; a minute is more than enough.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
