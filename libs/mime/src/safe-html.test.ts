import { describe, expect, test } from '@jest/globals'
import { fastestCpuMs } from '@posthorn/testkit'
import fc from 'fast-check'
import { htmlToText, safeHtml, toSafeHtml } from './index.ts'

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

test.each<[reason: string, html: string, isCut: boolean]>([
  ['short HTML', '<p>a</p>', false],
  ['too much markup, short', '<b>x</b>'.repeat(30_000), false],
  ['too much markup, long', `${'<b>x</b>'.repeat(60_000)}end`, true],
  ['too many escaped characters', '<'.repeat(200_000), true],
  ['too long', `${'x'.repeat(3_000_000)}`, true],
  ['too long after escaping', `<p>${'&'.repeat(30_000)}${'x'.repeat(2_000_000)}</p>`, true],
])('toSafeHtml: %s', (_reason, html, isCut) => {
  expect(toSafeHtml(html).isCut).toBe(isCut)
})

test('safeHtml: closes elements that end implicitly', () => {
  expect(safeHtml('<p>a<p>b<ul><li>c<li>d</ul><table><tr><td>e<td>f<tr><td>g</table>h')).toBe(
    '<p>a</p><p>b</p><ul><li>c</li><li>d</li></ul><table><tr><td>e</td><td>f</td></tr><tr><td>g</td></tr></table>h',
  )
})

test.each([
  ['<p STYLE="Color: red !important; x:y; color">a', 'color:red!important'],
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

test.each([
  'margin:-9px',
  'margin-left:-50%',
  'margin:0 0 -1px',
  'padding:-1px',
  'line-height:-2',
  'width:10000px',
  'font-size:99999px',
  'margin-top:10000px',
  'border:1px solid expression(alert(1))',
  'border:1px solid url(a)',
  'border:10000px solid red',
])('safeHtml: removes the style %s, which leaves the message or is huge', (style) => {
  expect(safeHtml(`<p style="${style}">x`)).toBe('<p>x</p>')
})

test.each([
  'border:1px solid #ccc',
  'border-radius:99999px',
  'vertical-align:-2px',
  'margin:0 auto',
])('safeHtml: keeps the style %s', (style) => {
  expect(safeHtml(`<p style="${style}">x`)).toBe(`<p style="${style}">x</p>`)
})

test('safeHtml: removes huge and negative sizes in attributes', () => {
  const html = '<img src="cid:a" width="99999" height="-5" border="10000"><td colspan=65000>'
  expect(safeHtml(`<table>${html}`)).toBe('<table><img src="cid:a" /><td></td></table>')
  expect(safeHtml('<table width="100%" border=1 height="20px"></table>')).toBe(
    '<table width="100%" border="1" height="20px"></table>',
  )
})

const link = (href: string) => `<a ${href}target="_blank" rel="noopener noreferrer nofollow">x</a>`

test.each([
  '/logout',
  '?a',
  '#a',
  '',
  'www.a.example',
  'https:logout',
  'http:/logout',
  '\u0001http://a',
])('safeHtml: removes the link %j, which depends on the page', (href) => {
  expect(safeHtml(`<a name="body" href="${href}">x</a>`)).toBe(link(''))
})

test.each(['https://a.example/b', 'mailto:a@a.example', 'tel:+1', 'http:\\\\a.example'])(
  'safeHtml: keeps the link %j',
  (href) => {
    expect(safeHtml(`<a href=" ${href} ">x</a>`)).toBe(link(`href="${href}" `))
  },
)

// List and table elements of a message without their parent: a page that joins HTML strings would
// otherwise close its own elements around the message.
test.each([
  ['<li>a<li>b', '<div>a</div><div>b</div>'],
  ['<dt>a<dd>b', '<div>a</div><div>b</div>'],
  ['<td>a</td><th>b</th>', 'ab'],
  ['<tr><td>a<tr><td>b', '<div>a</div><div>b</div>'],
  ['<tbody><col><caption>a', 'a'],
  ['<ul><li>a<div><li>b</div>c</ul>', '<ul><li>a<div></div></li><li>bc</li></ul>'],
  ['<dl><dt>a<div><dd>b</div></dl>', '<dl><dt>a<div></div></dt><dd>b</dd></dl>'],
  ['<table><tr><td><div>a<td>b', '<table><tr><td><div>a</div></td><td>b</td></tr></table>'],
  ['<table><ul><tbody><li>a', '<table><ul></ul><tbody><div>a</div></tbody></table>'],
  ['<h2><div><h1>a<h3>b</div>', '<h2><div><h1>a</h1><h3>b</h3></div></h2>'],
  ['<table><table><tr><td>a</table><td>b', '<table></table><table><tr><td>a</td></tr></table>b'],
  [
    '<table><tr><div><table>a</table></table>',
    '<table><tr><div></div></tr></table><table>a</table>',
  ],
])('safeHtml: gives %s a place without elements around it', (html, safe) => {
  expect(safeHtml(html)).toBe(safe)
})

test('safeHtml: keeps a table inside a link that the sender did not close', () => {
  const row = '<tr><td><a href="https://a.example">x</a></td><td>y</td></tr>'
  const safe = safeHtml(`<a name=top><table>${row}</table>`)
  expect(safe).toContain('</a></td><td>y</td></tr></table></a>')
})

describe('safeHtml: returns its result unchanged', () => {
  const quote = '<blockquote type=cite>q</blockquote>'
  test.each([
    ['folded history', `a${quote}`],
    ['history in history', `a${quote}<details class="posthorn-history">b</details>${quote}`],
    ['a forged mark', '<details class="posthorn-history posthorn-quote">b</details>'],
    ['its own mark', 'a<details class="posthorn-quote">b</details>'],
    ['history at the nesting limit', `a${'<div>'.repeat(188)}${quote}`],
    ['history in deep history', `a${'<div class=gmail_quote>'.repeat(180)}b`],
    ['unclosed elements at the work limit', '<p>x'.repeat(14_999)],
    ['unclosed elements over the work limit', '<p>x'.repeat(15_001)],
    ['links at the work limit', '<a href=tel:1>x</a>'.repeat(6_001)],
    ['a history at the work limit', `${'<br>'.repeat(29_994)}${quote}`],
    ['lines of the fallback', '<p>&unknown; &#x1f600; &nbsp;&eacute;</p>'.repeat(9_000)],
    ['characters to escape', '>'.repeat(29_000)],
    ['too many characters to escape', '>'.repeat(2_000_000)],
    ['text at the length limit', `<p>${'a&'.repeat(10_000)}${'b'.repeat(2 * 1024 * 1024)}`],
    ['entities at the length limit', `${'b'.repeat(2 * 1024 * 1024 - 9)}&amp;&amp;&amp;`],
    [
      'images at the length limit',
      `<img src="data:image/png;base64,${'A'.repeat(1_048_550)}">`.repeat(2),
    ],
    ['attributes at the length limit', `<p title='${'"'.repeat(1_366)}'>x`],
    ['styles', '<p style="COLOR : red ! important;color:blue!important;width:1px">x'],
    ['blocks in an unclosed paragraph', '<p><o:p><b><details>a</details></b><figure>b'],
  ])('%s', (_, html) => {
    const safe = safeHtml(html)
    expect(safeHtml(safe) === safe).toBe(true)
    expect(safe.length).toBeLessThanOrEqual(2 * 1024 * 1024)
  })
})

test.each(['<', '&amp;', '<b>', '<p a b c d>', '<p style="color:red">', '<a href=x><b>'])(
  'safeHtml, htmlToText: 2 MB of %s, block for at most 300 ms',
  (piece) => {
    const html = piece.repeat(2_000_000 / piece.length)
    for (const read of [safeHtml, htmlToText])
      expect(fastestCpuMs(() => read(html), 300)).toBeLessThanOrEqual(300)
  },
)

test('safeHtml: remote images are kept on request only, other remote content never', () => {
  const image = '<img src="https://images.example/1.png" onerror="x()" />'
  const html = `${image}<img src="//images.example/2.png" /><p style="background:url(https://x.example)">a</p>`
  expect(safeHtml(html)).not.toContain('example')
  const shown = safeHtml(html, { remoteImages: true })
  expect(shown).toContain('<img src="https://images.example/1.png" />')
  expect(shown).not.toMatch(/onerror|2\.png|x\.example/)
  expect(safeHtml(shown, { remoteImages: true })).toBe(shown)
})
