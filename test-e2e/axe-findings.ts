import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from './docs-site/site-window.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/**
 * Rules of the accessibility checker axe whose results depend on the theme, which changes colours
 * only.
 */
export const colourRules = ['color-contrast', 'link-in-text-block']
/** Tags of the rules of the accessibility checker axe for WCAG 2.0 to 2.2, levels A and AA. */
export const requiredRules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** Options of axe that switch off the rules whose results depend on the theme. */
export const withoutColours = Object.fromEntries(
  colourRules.map((rule) => [rule, { enabled: false }]),
)

/** Adds the accessibility checker axe to the open page, for `axeFindings`. */
export async function addAxe(page: Page): Promise<void> {
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(axe)
}

/** Waits until all transitions of the open page have ended. */
export async function untilStill(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    const transitions = () =>
      document.getAnimations().filter((animation) => animation instanceof CSSTransition)
    // A new theme starts a transition in an element, and then in each child that inherits a colour.
    do {
      await Promise.allSettled(transitions().map(({ finished }) => finished))
      await new Promise(requestAnimationFrame)
    } while (transitions().length > 0)
  })()`)
}

/**
 * Findings of axe with the impact `serious` or `critical`, as `rule: element`. `context` is the
 * JavaScript of the part of the page that axe checks. The live region of React Aria is left out:
 * its announcements refer to a button by id, and remain for some seconds after that button was
 * removed.
 */
export async function axeFindings(
  page: Page,
  options: object,
  context = `{ exclude: [['[data-live-announcer]']] }`,
): Promise<string[]> {
  await untilStill(page)
  return page.evaluate<string[]>(`(async () => {
    const options = ${JSON.stringify({ ...options, resultTypes: ['violations'] })}
    const { violations } = await axe.run(${context}, options)
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html))
  })()`)
}
