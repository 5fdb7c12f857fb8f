import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { release } from '@posthorn/config/release'
import type { Build } from '../build.ts'
import { readDeclaredSecrets } from '../declared-secrets.ts'
import { isObject } from '../schema/path.ts'
import { parseYaml } from '../yaml.ts'
import { findBuild, valueName } from './component-names.ts'
import { notesTemplate, readmeText } from './documents.ts'
import { type ChartSources, chartTemplates } from './templates.ts'
import { defaultValues, type ImageValues, overlayValues, type Values } from './values/values.ts'
import { valuesSchema } from './values/schema.ts'
import { helmText, valuesText } from './values/text.ts'

/** Helm chart that is generated from the Kubernetes manifests. */
export interface Chart {
  name: string
  /** Version of the Helm chart, equal to the version of the application in the chart. */
  version: string
  values: Values
  /**
   * Values of the Helm chart that reproduce each overlay of the manifests, by name of the overlay.
   */
  overlays: ReadonlyMap<string, Values>
  schema: object
  /** Templates of the Helm chart, by file name below `templates/`. */
  templates: ReadonlyMap<string, string>
  /** Template of the notes that Helm prints after an installation. */
  notes: string
  readme: string
}

/** Container image in the manifests of this repository. The image name has no registry. */
export const localImage: ImageValues = { repository: 'posthorn', digest: '' }

/**
 * Generates the Helm chart from kustomize builds: of the base, of the base with each single
 * component, and of the overlays.
 */
export function createChart(
  builds: readonly Build[],
  folder: string,
  image: ImageValues = localImage,
): Chart {
  const secrets = new Map(
    [...readDeclaredSecrets(folder).keys()].map((name) => [
      valueName(name.replace(/^posthorn-/, '')),
      name,
    ]),
  )
  const sources: ChartSources = { builds, folder, secrets }
  const values = defaultValues(sources, image)
  const names = builds.flatMap(({ name }) => (name.startsWith('overlays/') ? [name] : []))
  const overlays = names.map((name) => {
    const components = componentsOfOverlay(join(folder, name))
    const own = overlayValues(sources, findBuild(builds, name), { components, defaults: values })
    return [name.replace('overlays/', ''), own] as const
  })
  return {
    name: 'posthorn',
    version: release.version,
    values,
    overlays: new Map(overlays),
    schema: valuesSchema(values),
    templates: chartTemplates(sources),
    notes: notesTemplate,
    readme: readmeText(folder, release.version),
  }
}

/** Lists the manifest components that the kustomization of an overlay uses. */
function componentsOfOverlay(folder: string): string[] {
  const [document] = parseYaml(readFileSync(join(folder, 'kustomization.yaml'), 'utf8'))
  const content = isObject(document?.content) ? document.content : {}
  const paths = (content['components'] ?? []) as string[]
  return paths.map((path) => path.replace(/^.*\/components\//, ''))
}

/** Files of the generated Helm chart, by path in the chart's folder. */
export function chartFiles(chart: Chart): Map<string, string> {
  const metadata = {
    apiVersion: 'v2',
    name: chart.name,
    description: 'Mailboxes of customers through one JSON REST API',
    type: 'application',
    version: chart.version,
    appVersion: chart.version,
    kubeVersion: '>=1.31.0-0',
  }
  return new Map([
    ['Chart.yaml', helmText(metadata)],
    ['README.md', chart.readme],
    ['values.yaml', valuesText(chart.values)],
    ['values.schema.json', `${JSON.stringify(chart.schema, null, 2)}\n`],
    ...[...chart.overlays].map(
      ([name, values]) => [`values-${name}.yaml`, helmText(values)] as const,
    ),
    ['templates/NOTES.txt', chart.notes],
    ...[...chart.templates].map(([file, text]) => [`templates/${file}`, text] as const),
  ])
}
