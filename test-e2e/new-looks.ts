import { axeFindings, colourRules, untilStill } from './axe-findings.ts'
import type { Page } from './docs-site/site-window.ts'

/**
 * Finds the elements of the open page that show text in a new look, and stores these elements in
 * `window.newLooks`. A look is new if no earlier page of the browser window has an element with the
 * look. A look consists of tag name, attribute names, class, inline style, colours, text size, text
 * (present or not), and the look of the containing element. Returns the number of elements.
 */
export async function findNewLooks(page: Page): Promise<number> {
  await untilStill(page)
  return page.evaluate<number>(`(() => {
    const numbers = new Map(JSON.parse(sessionStorage.getItem('looks') ?? '[]'))
    window.newLooks = []
    const visit = (element, parent) => {
      if (element.matches('[data-live-announcer], script, style')) return
      const { display, color, background, opacity, fontSize, fontWeight, textDecoration } =
        getComputedStyle(element)
      if (display === 'none') return
      const texts = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE)
      const isField = element.matches('input, textarea, select')
      // Axe does not judge the contrast of a single character.
      const length = Math.min(2, texts.map((node) => node.data.trim()).join('').length)
      const isVisible = element.checkVisibility({ visibilityProperty: true })
      const names = element.getAttributeNames().join(' ')
      const given = [element.localName, names, element.getAttribute('class'), element.style?.cssText]
      const computed = [color, background, opacity, fontSize, fontWeight, textDecoration]
      const look = [parent, length, isVisible, ...given, ...computed].join()
      if (!numbers.has(look)) {
        numbers.set(look, numbers.size)
        if (isVisible && (length > 0 || isField)) window.newLooks.push(element)
      }
      for (const child of element.children) visit(child, numbers.get(look))
    }
    visit(document.body, 0)
    sessionStorage.setItem('looks', JSON.stringify([...numbers]))
    return window.newLooks.length
  })()`)
}

/**
 * Findings of axe on the colours of the elements that `findNewLooks` has found, with the impact
 * `serious` or `critical`.
 */
export function newLookFindings(page: Page): Promise<string[]> {
  return axeFindings(page, { runOnly: colourRules }, '{ include: window.newLooks }')
}
