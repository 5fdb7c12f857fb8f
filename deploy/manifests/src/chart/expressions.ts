const plainKey = /^[A-Za-z]\w*$/

/**
 * Template expression for a value of the chart: `$.Values.hosts.api`, or a call of `index` if a
 * name has a hyphen.
 */
export function reference(path: readonly string[]): string {
  if (path.every((key) => plainKey.test(key))) return ['$.Values', ...path].join('.')
  return `(index $.Values ${path.map((key) => JSON.stringify(key)).join(' ')})`
}

/**
 * Template expression that renders a value of the chart as JSON, which is valid YAML of one line.
 */
export const asJson = (path: readonly string[]) => `{{ ${reference(path)} | toJson }}`

/** Template expression of the image's tag: by default the version of the chart's application. */
export const releaseText = '{{ $.Values.image.tag | default $.Chart.AppVersion }}'

/**
 * Template expression of the container image, with its digest if the values of the chart have a
 * digest.
 */
export const imageText = `"{{ $.Values.image.repository }}:${releaseText}{{ if $.Values.image.digest }}@{{ $.Values.image.digest }}{{ end }}"`
