import type { Page } from './admin-world.ts'

type Target = ReturnType<Page['locator']>

/** Maximum number of elements on a page that Tab moves to. */
const maxTabs = 150

/** Person who uses the administration pages by keyboard only. */
export class KeyboardUser {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key)
  }

  /**
   * Presses Tab until an element of the page has the focus, or Shift+Tab if the element is before
   * the focus.
   */
  async tabTo(target: Target): Promise<void> {
    await target.waitFor()
    const isBefore = await target.evaluate((element) => {
      const focused = element.ownerDocument.activeElement ?? element
      const position = focused.compareDocumentPosition(element)
      return (position & focused.DOCUMENT_POSITION_PRECEDING) !== 0
    })
    for (let tabs = 0; tabs < maxTabs; tabs++) {
      if (await target.evaluate((element) => element === element.ownerDocument.activeElement))
        return
      await this.press(isBefore ? 'Shift+Tab' : 'Tab')
    }
    throw new Error(`Tab does not reach ${String(target)}`)
  }

  /** Moves to a form field of the open page and replaces the text of the field. */
  async type(label: string, text: string): Promise<void> {
    await this.tabTo(this.page.getByLabel(label, { exact: true }))
    await this.press('Control+a', 'Delete')
    await this.page.keyboard.type(text)
  }

  /** Moves to a form field with a list of choices, and types the beginning of a choice. */
  async choose(label: string, choice: string): Promise<void> {
    const field = this.page.getByRole('combobox', { name: label, exact: true })
    await this.tabTo(field)
    await this.page.keyboard.type(choice)
  }

  /** Moves to a button and presses the button. */
  async activate(name: string, place: Page | Target = this.page): Promise<void> {
    await this.tabTo(place.getByRole('button', { name, exact: true }).first())
    await this.press('Enter')
  }

  /**
   * Opens an administration page of the navigation by `g` and a letter. Waits first for the end of
   * a dialog that closes, because an open dialog keeps the focus.
   */
  async open(letter: string, title: string): Promise<void> {
    await this.page.locator('[role$="dialog"]').first().waitFor({ state: 'detached' })
    await this.page.locator('main').first().focus()
    await this.press('g', letter)
    await this.heading(title)
  }

  /** Waits until the open administration page has a title. */
  async heading(title: string): Promise<void> {
    await this.page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
  }
}
