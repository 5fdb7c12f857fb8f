import { axeFindings, colourRules, untilStill } from './axe-findings.ts'
import type { Page } from './docs-site/site-window.ts'

/**
 * Marks the elements of the open page that show text in a new look: no earlier page of the browser
 * window has an element with the look. The look of an element is its name, the names of its
 * attributes, its class, inline style, colours and text size, whether it shows text, and the look
 * of its parent. Returns the number of marked elements.
 */
export async function markNewLooks(page: Page): Promise<number> {
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
 * Findings of axe on the colours of the elements that `markNewLooks` has marked, with the impact
 * `serious` or `critical`.
 */
export function newLookFindings(page: Page): Promise<string[]> {
  return axeFindings(page, { runOnly: colourRules }, '{ include: window.newLooks }')
}
