import { isObject } from '../schema/path.ts'
import { parseYaml } from '../yaml.ts'
import type { Chart } from './chart.ts'
import { renderTemplate } from './template/render.ts'
import type { Values } from './values/values.ts'

export interface RenderOptions {
  values?: Values
  /**
   * True to render the Helm chart for a first installation, false for an upgrade. Defaults to true.
   */
  isInstall?: boolean
}

/**
 * Renders a Helm chart like `helm template`. Returns the objects in the order of the template
 * files.
 */
export function renderChart(
  chart: Chart,
  { values = {}, isInstall = true }: RenderOptions = {},
): Record<string, unknown>[] {
  const root = rootOf(chart, { values, isInstall })
  return [...chart.templates].flatMap(([file, text]) => {
    try {
      const documents = parseYaml(renderTemplate(text, root))
      return documents.map(({ content }) => content as Record<string, unknown>)
    } catch (cause) {
      throw new Error(`templates/${file}: ${(cause as Error).message}`, { cause })
    }
  })
}

/** Renders the notes that Helm prints after an installation. */
export function renderNotes(chart: Chart, values: Values = {}): string {
  return renderTemplate(chart.notes, rootOf(chart, { values, isInstall: true }))
}

function rootOf(chart: Chart, { values, isInstall }: Required<RenderOptions>): object {
  return {
    Values: coalesce(chart.values, values),
    Chart: { Name: chart.name, Version: chart.version, AppVersion: chart.version },
    Release: {
      Name: 'posthorn',
      Namespace: 'posthorn',
      Service: 'Helm',
      IsInstall: isInstall,
      IsUpgrade: !isInstall,
    },
  }
}

/**
 * Merges values of the Helm chart into the default values. A null removes the default value, as in
 * Helm.
 */
function coalesce(defaults: Values, values: Values): Values {
  const result = { ...defaults }
  for (const [key, value] of Object.entries(values)) {
    const standard = result[key]
    if (value === null) delete result[key]
    else result[key] = isObject(value) && isObject(standard) ? coalesce(standard, value) : value
  }
  return result
}
