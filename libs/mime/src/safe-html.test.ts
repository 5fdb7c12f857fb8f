import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { htmlToText, safeHtml } from './index.ts'

/**
 * CPU time of this process in milliseconds, independent of other load.
 */
const cpuMs = () => process.cpuUsage().user / 1_000

test('safeHtml: keeps formatting, links and embedded images', () => {
  const html =
    '<p style="color:#333;margin:0 auto">Hello <b>you</b>, see <a href="https://a.example/x?y=1">this</a></p><table width="100%"><tbody><tr><td align="left">1</td></tr></tbody></table>'
  const safe = safeHtml(html)
  expect(safe).toContain('<p style="color:#333;margin:0 auto">Hello <b>you</b>')
  expect(safe).toContain(
    '<a href="https://a.example/x?y=1" target="_blank" rel="noopener noreferrer nofollow">this</a>',
  )
  expect(safe).toContain('<td align="left">1</td>')
  expect(safeHtml('<img src="cid:logo@x" alt="Logo">')).toBe('<img alt="Logo" src="cid:logo@x" />')
})

const attacks = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<img src="https://t.example/pixel.gif">',
  '<img srcset="https://t.example/a 1x">',
  '<img src="data:image/svg+xml;base64,PHN2Zz4=">',
  '<a href="javascript:alert(1)">x</a>',
  '<a href=" java\tscript:alert(1)">x</a>',
  '<a href="data:text/html,<script>alert(1)</script>">x</a>',
  '<a href="//t.example">x</a>',
  '<form action="https://t.example"><input name=a><button>x</button></form>',
  '<iframe src="https://t.example"></iframe>',
  '<object data="https://t.example"></object><embed src="https://t.example">',
  '<link rel=stylesheet href="https://t.example">',
  '<style>@import "https://t.example";</style>',
  '<meta http-equiv=refresh content="0;url=https://t.example"><base href="https://t.example">',
  '<p style="background:url(https://t.example)">x</p>',
  '<p style="background-image:url(https://t.example);width:expression(alert(1))">x</p>',
  '<p style="color:red;background-color:u\\72l(https://t.example)">x</p>',
  '<p style="font-family:url(https://t.example)">x</p>',
  '<p style="border:1px solid url(https://t.example)">x</p>',
  '<p style="position:fixed;top:0;left:0;width:100%">x</p>',
  '<body background="https://t.example"><td background="https://t.example">',
  '<svg onload=alert(1)><use href="https://t.example"/></svg>',
  '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></table></mtext></math>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>',
  '<video src="https://t.example" poster="https://t.example"></video><audio src="https://t.example"></audio>',
  '<template><script>alert(1)</script></template>',
  '<!--[if IE]><script>alert(1)</script><![endif]-->',
]
const danger =
  /<script|<style|<iframe|<object|<embed|<form|<input|<link|<meta|<base|<svg|<math|<video|<audio|\son\w+\s*=|javascript:|url\(|expression|t\.example|position/i

test.each(attacks)('safeHtml: neutralises %s', (html) => {
  expect(safeHtml(html)).not.toMatch(danger)
})

test('safeHtml: any combination of fragments, contains no active element or attribute', () => {
  const pieces = [
    ...attacks,
    '<p>',
    '</p>',
    '<b style="color:red">',
    '</b>',
    'text & more',
    '<',
    '>',
    '"',
    "'",
    '<a href="',
    '<!--',
    '-->',
    '<![CDATA[',
    ']]>',
    '</textarea>',
  ]
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string()), { maxLength: 12 }),
      (parts) => {
        const once = safeHtml(parts.join(''))
        for (const safe of [once, safeHtml(once)]) {
          expect(safe).not.toMatch(/<script|<style|<iframe|<form|<svg|<math/i)
          expect(safe.replace(/"[^"]*"/g, '')).not.toMatch(/<[^>]*\s(?:on\w+|srcset|background)=/i)
          expect(safe).not.toMatch(
            /(?:href|src)="\s*(?:javascript|https?:[^"]*t\.example\/(?:pixel|a)|\/\/)/i,
          )
        }
      },
    ),
    { numRuns: 500 },
  )
})

test('safeHtml: removes tags beyond the nesting limit and keeps their text', () => {
  expect(safeHtml(`${'<div>'.repeat(20_000)}<script>a</script>hello`).trim()).toBe('a hello')
  expect(htmlToText(`${'<div>'.repeat(20_000)}hello`).trim()).toBe('hello')
})

test('safeHtml: hostile HTML, is bounded in time', () => {
  const started = cpuMs()
  for (const html of [
    '<div>'.repeat(200_000),
    '<p><li>'.repeat(100_000),
    '<a href="'.repeat(100_000),
    '<!--'.repeat(200_000),
    `<p style="${'color:red;'.repeat(50_000)}">x</p>`,
  ]) {
    safeHtml(html)
    htmlToText(html)
  }
  expect(cpuMs() - started).toBeLessThan(15_000)
})
