import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from './site-window.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Rules of axe whose results depend on the theme, which changes colours only. */
const colourRules = ['color-contrast', 'link-in-text-block']

/**
 * Findings of axe with the impact `serious` or `critical`, as `theme rule: element`.
 *
 * @param colours `page` checks the colours of the whole page, `frame` without the text. The colours
 *   of the text are equal at all widths, and to check them takes most of the time.
 */
export async function seriousFindings(page: Page, colours: 'page' | 'frame'): Promise<string[]> {
  await page.evaluate(axe)
  const context = colours === 'page' ? {} : { exclude: ['.sl-markdown-content'] }
  const rest = Object.fromEntries(colourRules.map((rule) => [rule, { enabled: false }]))
  return [
    ...(await runAxe(page, 'light', [{}, { rules: rest }])),
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
