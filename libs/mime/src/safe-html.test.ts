import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { htmlToText, safeHtml } from './index.ts'

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
  const safe = safeHtml(`${'<div>'.repeat(20_000)}<script>a</script>hello`)
  expect(safe.replaceAll(/<\/?div>/g, '')).toBe('hello')
  expect(safe.length).toBeLessThan(4_000)
  expect(htmlToText(`${'<div>'.repeat(20_000)}hello`).trim()).toBe('hello')
})

test('safeHtml: with too much markup, returns the text in lines', () => {
  const row = '<tr><td>a &amp; b</td></tr><script>x</script><!-- y -->1 > 0 < 2'
  const safe = safeHtml(`<table>${row.repeat(20_000)}</table>`)
  expect(safe.split('\n').slice(0, 3)).toEqual([
    'a &amp; b<br />',
    '1 &gt; 0 &lt; 2<br />',
    'a &amp; b<br />',
  ])
  expect(safe.replaceAll('<br />', '')).not.toMatch(/[<>]/)
  expect(
    htmlToText(`<table>${row.repeat(20_000)}</table>`)
      .split('\n')
      .slice(0, 2),
  ).toEqual(['a & b', '1 > 0 < 2'])
})

test('safeHtml: closes elements that end implicitly', () => {
  expect(safeHtml('<p>a<p>b<ul><li>c<li>d</ul><table><tr><td>e<td>f<tr><td>g</table>h')).toBe(
    '<p>a</p><p>b</p><ul><li>c</li><li>d</li></ul><table><tr><td>e</td><td>f</td></tr><tr><td>g</td></tr></table>h',
  )
})

test.each([
  ['<p STYLE="Color: red !important; x:y; color">a', 'color:red !important'],
  ['<p style="/* a */color:red;/* b */width:1px;/*">a', 'color:red;width:1px'],
  [`<p style="font-family:'A b', &quot;c&quot;">a`, "font-family:'A b', &quot;c&quot;"],
  ['<p style="width:1px;width:2px">a', 'width:2px'],
])('safeHtml: style of %s', (html, style) => {
  expect(safeHtml(html)).toBe(`<p style="${style}">a</p>`)
})

test.each([
  `<p style="font-family:'a">x`,
  '<p style="font-family:a&quot;b">x',
  '<p style="color:red!x">x',
  '<p style="color:re/**/d(1)">x',
  '<p style="__proto__:1;constructor:2">x',
])('safeHtml: removes %s', (html) => {
  expect(safeHtml(html)).toBe('<p>x</p>')
})

test.each(['<', '&amp;', '<b>', '<p a b c d>', '<p style="color:red">', '<a href=x><b>'])(
  'safeHtml, htmlToText: 2 MB of %s, block for less than 300 ms',
  (piece) => {
    const html = piece.repeat(2_000_000 / piece.length)
    for (const read of [safeHtml, htmlToText]) {
      const runs = Array.from({ length: 4 }, () => {
        const before = process.threadCpuUsage()
        read(html)
        const { user, system } = process.threadCpuUsage(before)
        return (user + system) / 1_000
      })
      expect(Math.min(...runs)).toBeLessThan(300)
    }
  },
)
