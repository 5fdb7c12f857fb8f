/**
 * Names of browsers, by a pattern of their User-Agent. Browsers whose User-Agent also names others
 * come first.
 */
const browsers: readonly [RegExp, string][] = [
  [/\bEdgA?\/(\d+)/, 'Edge'],
  [/\bOPR\/(\d+)/, 'Opera'],
  [/\bSamsungBrowser\/(\d+)/, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\/(\d+)/, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium)\/(\d+)/, 'Chrome'],
  [/\bVersion\/(\d+)[\d.]* (?:Mobile\/\S+ )?Safari\//, 'Safari'],
  [/^curl\/(\d+)/, 'curl'],
]

const systems: readonly [RegExp, string][] = [
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]

/**
 * Describes the browser of a session by its User-Agent, such as `Firefox 140, Linux`. Contains no
 * text of the client except the major version.
 */
export function describeBrowser(userAgent: string | undefined): string {
  const text = (userAgent ?? '').slice(0, 500)
  const system = systems.find(([pattern]) => pattern.test(text))?.[1]
  for (const [pattern, name] of browsers) {
    const version = pattern.exec(text)?.[1]
    if (version === undefined) continue
    const browser = `${name} ${version.slice(0, 4)}`
    return system === undefined ? browser : `${browser}, ${system}`
  }
  return system ?? 'Unknown browser'
}
