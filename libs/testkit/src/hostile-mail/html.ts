import { bodyLength, fill, type HostileMessage, htmlMessage } from './hostile-message.ts'

/** Pieces of HTML that hostile test messages repeat up to the size limit of a message body. */
const repeated = [
  ['<', '>', '<<a', '< ', '</', '</p>', '</b>', '</x', '<b>', '<b>x', '<p>'],
  ['<p><li>', '<br>', '<hr>', '<img>', '<img src="cid:a">'],
  ['<o:p>', '<a href=x>', '<a href=x>y</a>', '<a href="', "<a href='", '<a ', '<a b=c '],
  ['<!', '<!--', '<!-- -->', '<!-->', '<!doctype>', '<?'],
  ['<![CDATA[', '<![CDATA[x]]>', '<script>', '<script></script>', '</script>', '<style>'],
  ['<title>', '<textarea>', '<noscript>'],
  ['<iframe>', '<svg>', '<svg><p>'],
  ['<math><mi>', '<template>', '<object>', '<option>', '<select><option>', '<plaintext>'],
  ['<div id=reply-intro></div>', '<div id=reply-intro>', '<blockquote type=cite>'],
  ['<blockquote type=cite>x</blockquote>', '<div class=gmail_quote>x</div>', '<details>'],
  ['<details class="posthorn-history">', '</details>', '<summary>', '<p style="color:red">x'],
  ['<p style="a:b">x', '<span>x ', '<ul><li>', '<ol start=9><li>x'],
  ['<dl><dt>a<dd>b', '<pre>\n', '<h1>a b</h1>', '<form><input>', '\0', ' '],
  ['\n', '\u00a0', 'a ', '\u{1f600}', '&', '&amp;', '&lt;', '&#60;', '&#x1f600;'],
  ['&nbsp;', '&unknown;', '&#99999999999;', '<p title="&amp;">'],
].flat()

/** HTML elements that hostile test messages nest and close again. */
const nested = [
  ['<div>', '<b>', '<a href=x>', '<span>', '<blockquote>', '<blockquote type=cite>', '<ul><li>'],
  ['<ol><li>', '<table><tbody><tr><td>', '<p><b>', '<details>', '<svg>', '<q>', '<dl><dd>'],
].flat()
const depth = 20_000

function nest(tags: string): string {
  const names = [...tags.matchAll(/<(\w+)/g)].map(([, name]) => `</${name}>`)
  return `${tags.repeat(depth)}hello<br>${names.reverse().join('').repeat(depth)}`
}

function table(rows: number, row: string): string {
  return `<table>${row.repeat(rows)}</table>`
}

const cell = '<td style="padding:1px;border:1px solid #ccc">1</td>'
const numbers = (count: number, one: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => one(at)).join('')

const structured: [string, () => string][] = [
  ['table of 100,000 rows', () => table(100_000, '<tr><td>1</td></tr>')],
  ['table of 100,000 columns', () => table(1, `<tr>${'<td>1</td>'.repeat(100_000)}</tr>`)],
  ['table of 150 x 200 styled cells', () => table(150, `<tr>${cell.repeat(200)}</tr>`)],
  ['table without end tags', () => table(1_000, `<tr>${'<td>1'.repeat(100)}`)],
  ['table with huge spans', () => table(9_000, '<tr><td colspan=99999 rowspan=99999>1</td></tr>')],
  [
    'nested quotes with many lines',
    () => `${'<blockquote>'.repeat(190)}${fill('line<br>', 400_000)}`,
  ],
  ['nested lists with long lines', () => `${'<ul><li>'.repeat(90)}${fill('word ', 1_900_000)}`],
  ['nested links with many words', () => `${'<a href=x><b>'.repeat(90)}${fill('w ', 1_900_000)}`],
  ['element with 300,000 attributes', () => `<p ${numbers(300_000, (at) => `a${at} `)}>x`],
  ['element with repeated attributes', () => `<p ${fill('a="x"', 1_900_000)}>x`],
  ['element with 2 MB of slashes', () => `<p ${fill('/')}>x`],
  ['element with 2 MB of spaces', () => `<p${fill(' ')}>x`],
  ['element with a name of 2 MB', () => `<${fill('a')}>x`],
  ['attribute of 2 MB', () => `<a href="https://a.example/${fill('a')}">x</a>`],
  ['attribute of 2 MB of entities', () => `<a href="${fill('&amp;')}">x</a>`],
  ['attributes of 8 kB of entities', () => fill(`<a href="${'&amp;'.repeat(1_600)}">x</a>`)],
  ['image of 2 MB', () => `<img src="data:image/png;base64,${fill('A', bodyLength - 100)}">`],
  ['class of 300,000 words', () => `<div class="${fill('quote ', 1_900_000)}">x</div>`],
  ['style of 200,000 declarations', () => `<p style="${fill('color:red;', 1_900_000)}">x</p>`],
  ['styles of 400 declarations', () => fill(`<p style="${'color:red;'.repeat(400)}">x</p>`)],
  ['styles of comments', () => fill(`<p style="${'/*'.repeat(2_000)}">x</p>`)],
  ['styles of long values', () => fill(`<p style="margin:${'1px '.repeat(45)}x">x</p>`)],
  ['styles of quotes', () => fill(`<p style="font-family:${`"a"'b',`.repeat(20)}">x</p>`)],
  ['text of 2 MB in one word', () => fill('a')],
  ['text of 2 MB in one paragraph', () => `<p>${fill('Lorem ipsum dolor ')}</p>`],
  ['quotes between replies', () => fill('reply<blockquote type=cite>quote</blockquote>', 600_000)],
  ['14,500 elements', () => '<b>x</b>'.repeat(14_500)],
  ['7,000 links', () => '<a href="https://a.example/?a=b&amp;c">x</a>'.repeat(7_000)],
  ['9,500 styled cells', () => table(1, `<tr>${cell.repeat(9_500)}</tr>`)],
  ['29,000 entities', () => '&amp; '.repeat(29_000)],
  ['29,000 line breaks', () => 'line<br>'.repeat(29_000)],
  ['9,500 quotes', () => 'x<blockquote type=cite>y</blockquote>'.repeat(9_500)],
  ['comment of 2 MB', () => `<!--${fill('a-')}`],
]

/** Generator of pseudo-random numbers that are the same in every run (mulberry32). */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

function mixture(seed: number): string {
  const random = randomNumbers(seed)
  const pieces: string[] = []
  for (let length = 0; length < bodyLength;) {
    const piece = (repeated[random(repeated.length)] ?? '').repeat(1 + random(20))
    pieces.push(piece)
    length += piece.length
  }
  return pieces.join('')
}

export const hostileHtml: HostileMessage[] = [
  ...repeated.map((piece) => htmlMessage(`2 MB of ${JSON.stringify(piece)}`, () => fill(piece))),
  ...nested.map((tags) => htmlMessage(`${depth} nested ${tags}`, () => nest(tags))),
  ...structured.map(([name, build]) => htmlMessage(name, build)),
  ...[1, 2, 3].map((seed) => htmlMessage(`mixture ${seed}`, () => mixture(seed))),
]
