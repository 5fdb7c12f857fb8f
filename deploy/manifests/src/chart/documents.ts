import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Template of the notes that Helm prints after an installation or upgrade. */
export const notesTemplate = `Posthorn {{ $.Chart.AppVersion }} in the namespace {{ $.Release.Namespace }}

1. Pods wait for their secrets (README.md of the chart). Missing ones are named by

     kubectl --namespace {{ $.Release.Namespace }} get events --field-selector reason=FailedMount

2. Services wait for the schema, which the Job migrate creates or changes:

     kubectl --namespace {{ $.Release.Namespace }} get jobs -l app.kubernetes.io/component=job
     kubectl --namespace {{ $.Release.Namespace }} get deployments -l app.kubernetes.io/part-of=posthorn

3. The first access token of the API is "prepared-token" of the secret {{ $.Values.secrets.api }}.
{{- if or $.Values.components.ingress $.Values.components.gatewayApi }}
   Reference of the API: https://{{ $.Values.hosts.api }}/docs
{{- else }}
   Reference of the API: http://localhost:3000/docs after

     kubectl --namespace {{ $.Release.Namespace }} port-forward service/api-gateway 3000
{{- end }}
{{- if and (or $.Values.components.ingress $.Values.components.gatewayApi) (not (hasKey (index $.Values "services" "api-gateway" "environment") "SVC_TRUSTED_PROXIES")) }}

WARNING: SVC_TRUSTED_PROXIES is not set in services.api-gateway.environment. Every client has the
address of the ingress: limits per address apply to all clients together.
{{- end }}
`

/** Titles of the sections of k8s/README.md that become part of the Helm chart's README. */
const sections = ['Helm', 'Trusted proxies', 'Secrets', 'Components']

/**
 * Text of the Helm chart's README.md, which consists of sections of k8s/README.md. Links within the
 * repository are replaced by their texts.
 *
 * @throws Error if a section is missing
 */
export function readmeText(folder: string, version: string): string {
  const source = readFileSync(join(folder, 'README.md'), 'utf8')
  const parts = sections.map((title) => sectionOf(source, title))
  const text = [`# Posthorn ${version}\n`, ...parts].join('\n')
  return text.replaceAll(/\[([^\]]+)\]\((?!https?:)[^)]*\)/g, '$1')
}

/**
 * Returns a section of a Markdown document with its subsections, up to the next heading of the same
 * level.
 */
function sectionOf(source: string, title: string): string {
  const [, level = ''] = new RegExp(`^(#+) ${title}$`, 'm').exec(source) ?? []
  if (level === '') throw new Error(`README.md has no section ${title}`)
  const heading = `\n${level} ${title}\n`
  const after = source.slice(source.indexOf(heading) + heading.length)
  const end = after.search(new RegExp(`^#{1,${level.length}} `, 'm'))
  return `## ${title}\n${(end < 0 ? after : after.slice(0, end)).trimEnd()}\n`
}
