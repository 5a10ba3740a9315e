// What the page brings along. What the bundler adds to imports is in assets.d.ts.

interface Window {
  /** Start-up settings put into the page by the server. */
  FileBrowser?: Partial<import('../src/api-types.ts').BootSettings>
  /** Present once the human check's script has loaded. */
  grecaptcha?: {
    ready?(callback: () => void): void
    render(element: HTMLElement, options: { sitekey: string; theme?: string }): number
    getResponse(widget?: number): string
    reset(widget?: number): void
  }
}
