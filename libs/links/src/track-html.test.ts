import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { LinkKey } from './link-key.ts'
import { readLink } from './signed-link.ts'
import { type Tracking, trackHtml } from './track-html.ts'

const key = new LinkKey(Buffer.alloc(32, 3))
const tracking: Tracking = {
  baseUrl: 'https://mail.example',
  key,
  account: 'acc',
  messageId: '<1@mail.example>',
  opens: false,
  clicks: true,
}
const clicks = (html: string) => trackHtml(html, tracking)
const opens = (html: string) => trackHtml(html, { ...tracking, opens: true, clicks: false })

const madeLink = /"https:\/\/mail\.example\/redirect\?data=([\w-]+)&amp;sig=([\w-]{8}\.[\w-]{43})"/g
const madePixel =
  /<img src="https:\/\/mail\.example\/open\.gif\?data=[\w-]+&amp;sig=[\w-]{8}\.[\w-]{43}" width="1" height="1" alt="" style="border:0">/g

/** Targets of the redirect links in the HTML of a tracked message. */
function targets(html: string): string[] {
  return [...html.matchAll(madeLink)].map(([, data = '', sig = '']) => {
    const read = readLink([key], 'click', { data, sig })
    if (!read) throw new Error('not a valid link')
    return read.link.url
  })
}

test.each([
  ['<a href="https://a.example/?a=1&amp;b=2">x</a>', 'https://a.example/?a=1&b=2'],
  ["<A HREF='HTTP://a.example/'>x</A>", 'HTTP://a.example/'],
  ['<a class=b href=https://a.example/x>x</a>', 'https://a.example/x'],
  ['<a\nhref\t=\n"\n https://a.example/a\n b "\n>x</a>', 'https://a.example/a b'],
  ['<a href="https://a.example/&copy;&#x41;&amp">x</a>', 'https://a.example/©A&'],
  ['<a href="https://a.example/?a&copy=1">x</a>', 'https://a.example/?a&copy=1'],
  ['<a href="https://a.example/" href="https://b.example">x</a>', 'https://a.example/'],
  ['<a href=https://a.example/ />', 'https://a.example/'],
  ['<a title=">" href="https://a.example/">x</a>', 'https://a.example/'],
])('trackHtml: the link of %j redirects to its target', (html, target) => {
  expect(targets(clicks(html))).toEqual([target])
})

test.each([
  '<a href="mailto:a@example.com">x</a>',
  '<a href="#top">x</a>',
  '<a href="//a.example/">x</a>',
  '<a href="javascript:alert(1)">x</a>',
  '<a href="ftp://a.example/">x</a>',
  '<a href="https://">x</a>',
  '<a href>x</a>',
  '<a href=>x</a>',
  '<a name="href" title="https://a.example">https://a.example</a>',
  '<abbr href="https://a.example/">x</abbr>',
  '<link href="https://a.example/style.css"><img src="https://a.example/a.png">',
  '<!-- <a href="https://a.example/">x</a> -->',
  '<!--[if mso]><a href="https://a.example/">x</a><![endif]-->',
  '<script>"<a href=\'https://a.example/\'>"</script>',
  '<style><a href="https://a.example/"></style>',
  '<textarea><a href="https://a.example/"></textarea>',
  '<title><a href="https://a.example/"></title>',
  '<p title="<a href=\'https://a.example/\'>">',
  '<a href="https://a.example/"',
  '</a href="https://a.example/">',
  '<a href="https://mail.example/unsubscribe?data=x&amp;sig=y">out</a>',
  '<a href="https://MAIL.example:443/redirect?data=x&amp;sig=y">x</a>',
  `<a href="https://a.example/${'x'.repeat(8_000)}">x</a>`,
  '',
])('trackHtml: %j stays unchanged', (html) => {
  expect(clicks(html)).toBe(html)
})

test('trackHtml: is idempotent for links', () => {
  const once = clicks('<a href="https://a.example/">x</a><a href="http://b.example">y</a>')
  expect(clicks(once)).toBe(once)
  expect(targets(once)).toEqual(['https://a.example/', 'http://b.example'])
})

test.each([
  ['<body>x</body></html>', /^<body>x<img [^>]+><\/body><\/html>$/],
  ['<BODY>x</BODY >', /^<BODY>x<img [^>]+><\/BODY >$/],
  ['a</body>b</body>', /^a<\/body>b<img [^>]+><\/body>$/],
  ['x', /^x<img [^>]+>$/],
  ['<!-- </body> -->', /^<!-- <\/body> --><img [^>]+>$/],
])('trackHtml: inserts the pixel at the end of %j', (html, expected) => {
  expect(opens(html)).toMatch(expected)
  expect(opens(html).replace(madePixel, '')).toBe(html)
})

test('trackHtml: without opens and clicks, returns the input', () => {
  const html = '<a href="https://a.example/">x</a>'
  expect(trackHtml(html, { ...tracking, clicks: false })).toBe(html)
})

const markup = `<a|<A | href|=|"|'|https://a.example/|&amp;|&|&#|>|/>|</a>|<!--|-->|<![CDATA[|]]>|<script>|</script|<title>|</title>|<svg>|<|</body>|</|<!|<?|x|ü|😀|<plaintext>|<style `
const pieces = fc.constantFrom(...markup.split('|'), '\0', '\n', ' ', '\ud800')
const hostile = fc.oneof(
  fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 300 }),
)

test('trackHtml: changes nothing but links and pixel', () => {
  fc.assert(
    fc.property(hostile, (html) => {
      const tracked = trackHtml(html, { ...tracking, opens: true })
      const bare = tracked.replace(madePixel, '')
      // The HTML between the inserted tracking links equals the input.
      let at = 0
      for (const part of bare.split(/"https:\/\/mail\.example\/redirect\?[\w=&;.-]+"/)) {
        const start = html.indexOf(part, at)
        expect(start).toBeGreaterThanOrEqual(at)
        at = start + part.length
      }
      expect(html.startsWith(bare.split('"https://mail.example/redirect?')[0] ?? '')).toBe(true)
      expect(clicks(clicks(html))).toBe(clicks(html))
    }),
    { numRuns: 3_000 },
  )
})

test.each([
  ['attributes', (n: number) => `<a ${'b=1 '.repeat(n)}href="https://a.example/">`],
  ['entities', (n: number) => `<a href="https://a.example/?${'&amp'.repeat(n)}">`],
  ['tags that never end', (n: number) => '<a href="'.repeat(n)],
  ['comments that never end', (n: number) => '<!--<a '.repeat(n)],
  ['links', (n: number) => '<a href=http://a.example>x</a>'.repeat(n)],
])('trackHtml: takes linear time for a message full of %s', (_case, make) => {
  const html = make(300_000)
  const tracked = clicks(html)
  expect(tracked.length).toBeLessThan(html.length + 10_000 * 400)
})
