import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from './site-window.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Rules of axe whose results depend on the theme, which changes colours only. */
const colourRules = ['color-contrast', 'link-in-text-block']
const withoutColours = Object.fromEntries(colourRules.map((rule) => [rule, { enabled: false }]))
/** Tags of the rules that the guidelines require. Other rules do not depend on the width. */
const required = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/**
 * Findings of axe with the impact `serious` or `critical`, as `theme rule: element`.
 *
 * @param kind `all` applies all rules. `narrow` leaves out what does not depend on the width and
 *   takes most of the time: the colours of the text, and rules beyond the guidelines.
 */
export async function seriousFindings(page: Page, kind: 'all' | 'narrow'): Promise<string[]> {
  await page.evaluate(axe)
  const context = kind === 'all' ? {} : { exclude: ['.sl-markdown-content'] }
  const rules = kind === 'all' ? {} : { runOnly: required }
  return [
    ...(await runAxe(page, 'light', [{}, { ...rules, rules: withoutColours }])),
    ...(await runAxe(page, 'light', [context, { runOnly: colourRules }])),
    ...(await runAxe(page, 'dark', [context, { runOnly: colourRules }])),
  ]
}

function runAxe(page: Page, theme: string, [context, options]: [object, object]) {
  return page.evaluate<string[]>(`(async () => {
    document.documentElement.dataset.theme = '${theme}'
    await new Promise(requestAnimationFrame)
    const context = { include: ['html'], ...${JSON.stringify(context)} }
    const options = ${JSON.stringify({ ...options, resultTypes: ['violations'] })}
    const { violations } = await axe.run(context, options)
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => '${theme} ' + id + ': ' + nodes[0].html)
  })()`)
}

/** Links of the page to this host, without the current anchor, and the ids of its elements. */
export function linksAndIds(page: Page): Promise<{ links: string[]; ids: string[] }> {
  return page.evaluate(`({
    links: [...document.links].map(({ href }) => href),
    ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
  })`)
}

/** Sizes in bytes of the page and all that it has loaded, as transferred. */
export function transferredBytes(page: Page): Promise<number> {
  return page.evaluate<number>(`[
    ...performance.getEntriesByType('navigation'),
    ...performance.getEntriesByType('resource'),
  ].reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`)
}
