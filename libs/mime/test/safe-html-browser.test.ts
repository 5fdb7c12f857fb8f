import { afterAll, describe, expect, test } from '@jest/globals'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { decodeText, escapeHtml, parseMessage, safeHtml } from '@posthorn/mime'
import {
  eventually,
  faultSize,
  hasBrowser,
  type HostileMessage,
  hostileMessages,
  isFullFaultRun,
} from '@posthorn/testkit'
import { type Examination, MailPage } from './mail-page.ts'
import { styleVectors } from './style-vectors.ts'
import { xssVectors } from './xss-vectors.ts'

if (!hasBrowser()) process.stderr.write('Chromium not found: browser tests are skipped\n')
const describeInBrowser = hasBrowser() ? describe : describe.skip

const words = (list: string) => list.trim().split(/\s+/)
const examination: Examination = {
  elements: words(`
    a abbr b bdi bdo blockquote br caption center cite code col colgroup dd del details dfn div dl
    dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark ol p
    pre q s samp section small span strike strong sub summary sup table tbody td tfoot th thead tr
    tt u ul var`),
  attributes: words(`
    align alt bgcolor border cellpadding cellspacing class color colspan dir face height href lang
    open rel rowspan size src start style target title type valign width`),
  properties:
    '(?:background-)?color|font-.+|line-height|text-(?:align|decoration|wrap).*|vertical-align|' +
    'white-space.*|(?:max-|min-)?width|height|(?:padding|margin|(?:-webkit-)?border)(?:-.+)?',
  withLayout: true,
}
/** Number of characters of messages above which a page gets no further message. */
const pageLength = 4_000_000
/**
 * Number of characters of a sanitised message above which the message has no layout. Long hostile
 * messages repeat a few kinds of elements.
 */
const layoutLength = isFullFaultRun ? Infinity : 50_000
/** Number of characters of a hostile message without HTML that the browser shows. */
const textLength = isFullFaultRun ? Infinity : 20_000

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const page = hasBrowser() ? stack.use(await MailPage.open()) : undefined

interface Message {
  name: string
  html: string
}

/** Divides messages into groups, each shown in one page. */
function inPages(messages: readonly Message[]): Message[][] {
  const pages: Message[][] = [[]]
  let length = 0
  for (const message of messages) {
    if (length > pageLength) length = pages.push([]) && 0
    length += message.html.length
    pages.at(-1)?.push(message)
  }
  return pages
}

/**
 * Shows messages in the browser without sanitising them. Returns the names and findings of messages
 * with findings.
 */
async function show(
  page: MailPage,
  messages: readonly Message[],
  options: Partial<Examination> = {},
) {
  const before = [page.scripts.length, page.requests.length]
  const shown = await page.show(
    messages.map(({ html }) => html),
    { ...examination, ...options },
  )
  const flagged = shown.flatMap(({ findings }, index) =>
    findings.length > 0 ? [[messages[index]?.name, ...findings]] : [],
  )
  return {
    shown,
    flagged,
    count: shown.length,
    scripts: page.scripts.slice(before[0]),
    requests: page.requests.slice(before[1]),
  }
}

/**
 * Shows sanitised messages in the browser and expects no findings. Also checks the HTML that the
 * browser builds, where sanitising that HTML gives another form.
 */
async function expectHarmless(messages: readonly Message[], options: Partial<Examination> = {}) {
  if (!page) throw new Error('no browser')
  const safe = messages.map(({ name, html }) => ({ name, html: safeHtml(html) }))
  for (const { name, html } of safe)
    expect({ name, isStable: safeHtml(html) === html }).toEqual({ name, isStable: true })
  const isShort = ({ html }: Message) => html.length <= layoutLength
  const long = inPages(safe.filter((message) => !isShort(message)))
  for (const group of [...inPages(safe.filter(isShort)), ...long]) {
    const withoutLayout = long.includes(group) ? { withLayout: false } : {}
    const { shown, ...result } = await show(page, group, { ...options, ...withoutLayout })
    expect(result).toEqual({ ...harmless, count: group.length })
    const built = group.map(({ name, html }, index) => {
      const { html: serialised = '', reread = '' } = shown[index] ?? {}
      // The HTML sanitiser counts less work for a no-break space than for the entity `&nbsp;`.
      return {
        name,
        before: html,
        reread,
        html: safeHtml(serialised.replaceAll('&nbsp;', '\u00A0')),
      }
    })
    const others = built.filter(({ html, before }) => html !== before)
    const { shown: again, ...second } = await show(page, others, { ...options, withLayout: false })
    expect(second).toEqual({ ...harmless, count: others.length })
    const changed = others.flatMap(({ name, reread }, index) =>
      again[index]?.html === reread ? [] : [[name, reread, again[index]?.html]],
    )
    expect(changed).toEqual([])
  }
}
const harmless = { flagged: [], scripts: [], requests: [] }

/** HTML that a page must not contain, and the pattern of the finding that shows the HTML. */
const controls = [
  ['<script>alert(1)</script>', /alert 1/],
  ['<img src=x onerror=alert(1)>', /alert 1/],
  ['<p onclick=alert(1)>x</p>', /alert 1/],
  ['<a href=javascript:alert(1)>x</a>', /alert 1/],
  ['<iframe srcdoc="<script>alert(1)</script>"></iframe>', /alert 1/],
  ['<img src=http://evil.example/a.png>', /evil\.example/],
  ['<img src=https://evil.example/a.png>', /evil\.example/],
  ['<p style="background:url(http://evil.example/a.png)">x</p>', /evil\.example/],
  ['<link rel=preconnect href=http://evil.example>', /element link/],
  ['<img src=pixel.gif>', /\/pixel\.gif/],
  ['<a href=/logout>x</a>', /attribute href \/logout/],
  ['<div style="position:fixed;inset:0">x</div>', /covers/],
  ['<div style="position:absolute;left:0;top:0;width:200px;height:200px">x</div>', /covers/],
  ['<div style="margin-left:-200px">x</div>', /box of div/],
  ['<p style="position:relative;left:-50px">x</p>', /position relative/],
  ['</div><p>x</p>', /left its element/],
  ['<li>x</li>', /left its element/],
  ['<dd>x</dd>', /left its element/],
  ['<td>x</td>', /left its element/],
  ['<div><template shadowrootmode=open>x</template></div>', /shadow root/],
] as const

/** Pieces of HTML of which browsers build other elements than their order suggests. */
const pieces = [
  ...words(`
    <a href=https://a.example> </a> <b> </b> <font color=red> </font> <p> </p> <div> </div> <div>
    </div> <li> </li> <ul> </ul> <dd> </dd> <dl> </dl> <table> </table> <tr> </tr> <td> </td> <th>
    <tbody> </tbody> <caption> </caption> <colgroup> <col> <h1> </h1> <h2> </h2> <pre> </pre>
    <blockquote> </blockquote> <details> </details> <summary> </summary> <form> </form> <br> <hr>
    <span> </span> <center> </center> <o:p> </o:p> <svg> </svg> <math> <style> </style> <select>
    </select> <option> <template> </template> <title> </title> <!-- --> <button> </button> <nobr>
    </br> <frameset> </body> </html> <noscript> </noscript> <img> <marquee> </marquee> <section>
    <address> </address> text &lt; &amp; > < "`),
  '<blockquote type=cite>',
  '<div class=gmail_quote>',
  '<p style="margin:-9px;color:red">',
  '<img src=x onerror=alert(1)>',
]
/**
 * Number of random combinations of HTML pieces. A change of the sanitiser is verified with ten
 * times the full number of combinations.
 */
const combinations = Number(
  process.env['TEST_HTML_COMBINATIONS'] ?? faultSize({ small: 400, full: 2_000 }),
)

/** Bytes of messages that are HTML markup in their charset only. */
const encoded = [
  ['utf-7', '+ADw-img src+AD0-x onerror+AD0-alert(1)+AD4-'],
  ['utf-16le', '<\0i\0m\0g\0 \0s\0r\0c\0=\0x\0 \0o\0n\0e\0r\0r\0o\0r\0=\0a\0l\0e\0r\0t\0(\0)\0>\0'],
  ['iso-2022-jp', '\x1b(J<img alt="\x1b$B" src=x onerror=alert(1)//">\x1b(B'],
  ['shift_jis', '<p title="\x81"><img src=x onerror=alert(1)>">x</p>'],
  ['gb18030', '<p title="\x81\x30\x81"><img src=x onerror=alert(1)>">x</p>'],
  ['utf-8', '<p title="\xf0"><img src=x onerror=alert(1)>">\xc0\xbcscript\xc0\xbe</p>'],
  ['us-ascii', '\xbcscript\xbealert(1)\xbc/script\xbe'],
  ['x-unknown', '\x8bscript\x9balert(1)'],
] as const

const corpus = process.env['TEST_MAIL_CORPUS'] ?? ''
const testWithCorpus = existsSync(corpus) ? test : test.skip

describeInBrowser('safeHtml in Chromium', () => {
  test('MailPage: without the sanitiser, records scripts, requests and covered places', async () => {
    await using other = await MailPage.open()
    for (const [html, record] of controls) {
      const message = { name: html, html }
      const { flagged, scripts, requests } = await show(other, [message, message])
      await eventually(() => {
        const records = [flagged, scripts, requests, other.requests].flat(2)
        expect({ html, records: records.join('\n') }).toEqual({
          html,
          records: expect.stringMatching(record),
        })
      })
      other.requests.length = 0
    }
  })

  test('vectors: no script runs, no request leaves, nothing covers the page', async () => {
    expect(xssVectors.length).toBeGreaterThan(200)
    await expectHarmless([...xssVectors, ...styleVectors])
    await expectHarmless(
      encoded.map(([charset, bytes]) => ({
        name: charset,
        html: decodeText(Buffer.from(bytes, 'latin1'), charset),
      })),
    )
  })

  test('hostile messages: no script runs, no request leaves, nothing covers the page', async () => {
    expect(hostileMessages).toHaveLength(200)
    for (let at = 0; at < hostileMessages.length; at += 25) {
      const group = hostileMessages.slice(at, at + 25)
      await expectHarmless(await Promise.all(group.map(readHostile)))
    }
  }, 300_000)

  testWithCorpus('messages of the corpus: no script runs, no request leaves', async () => {
    const paths = readdirSync(corpus, { recursive: true, encoding: 'utf8' })
    const messages = paths.filter((path) => path.endsWith('.eml')).map(readSample)
    expect(messages.length).toBeGreaterThan(0)
    await expectHarmless(await Promise.all(messages))
  })

  test('combinations of tags: stay in their place and unchanged', async () => {
    const arbitrary = fc.array(fc.constantFrom(...pieces), { minLength: 2, maxLength: 20 })
    const messages = fc
      .sample(arbitrary, { seed: 1, numRuns: combinations })
      .map((parts) => ({ name: parts.join(''), html: parts.join('') }))
    await expectHarmless(messages, { withLayout: false })
  })
})

async function readSample(path: string): Promise<Message> {
  const { html, text } = await parseMessage(readFileSync(join(corpus, path)))
  return { name: path, html: html ?? escapeHtml(text) }
}

async function readHostile({ name, html, mime }: HostileMessage): Promise<Message> {
  if (html) return { name, html: html() }
  const message = await parseMessage(mime())
  return { name, html: message.html ?? escapeHtml(message.text.slice(0, textLength)) }
}
