// What a signed-in device is called: guessed from what its browser says of itself.

/** Browser and system as far as the user agent tells; null when it tells nothing known. */
export function deviceOf(userAgent: string): { browser: string | null; system: string | null } {
  const find = (list: readonly (readonly [RegExp, string])[]) =>
    list.find(([pattern]) => pattern.test(userAgent))?.[1] ?? null
  return {
    // Order matters: most browsers also claim to be Chrome and Safari.
    browser: find([
      [/Edg(e|A|iOS)?\//, 'Edge'],
      [/OPR\/|Opera/, 'Opera'],
      [/Vivaldi\//, 'Vivaldi'],
      [/SamsungBrowser\//, 'Samsung Internet'],
      [/Firefox\/|FxiOS\//, 'Firefox'],
      [/Chrome\/|CriOS\//, 'Chrome'],
      [/Safari\//, 'Safari'],
      [/curl\//, 'curl'],
    ]),
    system: find([
      [/iPhone/, 'iPhone'],
      [/iPad/, 'iPad'],
      [/Android/, 'Android'],
      [/Windows/, 'Windows'],
      [/Mac OS X|Macintosh/, 'macOS'],
      [/CrOS/, 'ChromeOS'],
      [/Linux/, 'Linux'],
    ]),
  }
}
