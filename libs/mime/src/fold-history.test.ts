import { expect, test } from '@jest/globals'
import { fastestCpuMs } from '@posthorn/testkit'
import fc from 'fast-check'
import { foldHistory, historyMark, unfoldHistory } from './fold-history.ts'
import { safeHtml } from './safe-html.ts'

const folded = (inner: string) =>
  `<details class="posthorn-history"><summary></summary><blockquote>${inner}</blockquote></details>`

test.each([
  [
    'a cited block at the end',
    '<p>Yes</p><blockquote type="cite"><p>Ok?</p></blockquote>',
    `<p>Yes</p>${folded('<p>Ok?</p>')}`,
  ],
  [
    'a Gmail quote with nested quotes',
    'Yes<div class="gmail_quote">On Monday she wrote:<blockquote class="gmail_quote">Ok?</blockquote></div><br>',
    `Yes${folded('On Monday she wrote:<blockquote>Ok?</blockquote>')}<br />`,
  ],
  [
    'a reply between quotes stays visible, the last quote is folded',
    'a<blockquote type="cite">1</blockquote>b<blockquote type="cite">2</blockquote>',
    `a<blockquote>1</blockquote>b${folded('2')}`,
  ],
  [
    'a reply below its quote stays visible',
    'a<blockquote type="cite">1</blockquote>My reply',
    'a<blockquote>1</blockquote>My reply',
  ],
  [
    'a message with only a quote stays visible',
    '<div class="yahoo_quoted">All of it</div>&nbsp;',
    '<blockquote>All of it</blockquote>\u00A0',
  ],
  [
    'details elements of the sender stay unchanged',
    'a<details open>x</details><blockquote type="cite">1</blockquote>',
    `a<details open>x</details>${folded('1')}`,
  ],
])('foldHistory: %s', (_, html, safe) => {
  expect(safeHtml(html)).toBe(safe)
})

test('unfoldHistory: restores the folded HTML', () => {
  const html = 'Yes<div class="gmail_quote">She:<blockquote>Ok?</blockquote></div>'
  expect(unfoldHistory(safeHtml(html))).toBe(
    'Yes<blockquote>She:<blockquote>Ok?</blockquote></blockquote>',
  )
  expect(unfoldHistory('<p>plain</p>')).toBe('<p>plain</p>')
})

test('safeHtml: foreign history marks do not break the structure', () => {
  const pieces = [
    '<details class="posthorn-history">',
    '</details>',
    '<summary>',
    '<blockquote type=cite>',
    '</blockquote>',
    '<div class=gmail_quote>',
    '</div>',
    'text',
    '<p>',
  ]
  const count = (html: string, tag: string) => html.split(tag).length - 1
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 30 }), (parts) => {
      const safe = safeHtml(parts.join(''))
      for (const html of [safe, unfoldHistory(safe)])
        for (const name of ['details', 'blockquote', 'div'])
          expect(count(html, `<${name}`)).toBe(count(html, `</${name}>`))
    }),
  )
})

test('foldHistory: 2 MB of quotes, blocks for at most 500 ms', () => {
  const html = `<details class="${historyMark.attribs.class}"></details>`.repeat(47_000)
  expect(fastestCpuMs(() => foldHistory(html), 500)).toBeLessThanOrEqual(500)
})
