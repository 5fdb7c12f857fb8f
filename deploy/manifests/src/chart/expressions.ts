const plainKey = /^[A-Za-z]\w*$/

/**
 * Template expression that refers to a value of the Helm chart: `$.Values.hosts.api`, or a call of
 * `index` if a name contains a hyphen.
 */
export function reference(path: readonly string[]): string {
  if (path.every((key) => plainKey.test(key))) return ['$.Values', ...path].join('.')
  return `(index $.Values ${path.map((key) => JSON.stringify(key)).join(' ')})`
}

/**
 * Template expression that renders a value of the Helm chart as JSON, which is valid YAML on one
 * line.
 */
export const asJson = (path: readonly string[]) => `{{ ${reference(path)} | toJson }}`

/**
 * Template expression for the tag of the container image. By default, the tag is the chart's
 * `appVersion`.
 */
export const releaseText = '{{ $.Values.image.tag | default $.Chart.AppVersion }}'

/**
 * Template expression for the reference of the container image. The reference contains a digest if
 * the Helm chart's values do.
 */
export const imageText = `"{{ $.Values.image.repository }}:${releaseText}{{ if $.Values.image.digest }}@{{ $.Values.image.digest }}{{ end }}"`
