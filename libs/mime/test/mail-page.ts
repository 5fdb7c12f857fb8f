import { readFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server as TcpServer,
} from 'node:net'
import { testBrowser } from '@posthorn/testkit'

type Browser = Awaited<ReturnType<typeof testBrowser>>
type Page = Awaited<ReturnType<Browser['openDesktop']>>

/** Rules by which messages in a web page are examined. */
export interface Examination {
  /** Names of HTML elements that a message may contain. */
  elements: readonly string[]
  attributes: readonly string[]
  /** Pattern of the CSS properties that a message may use. */
  properties: string
  /** True to lay out each message in the browser, which takes 20 ms. */
  withLayout: boolean
}

/** Result of showing one message in the browser. */
export interface ShownMessage {
  findings: readonly string[]
  /** HTML of the message's elements that the browser built. */
  html: string
  /** HTML of the message after the browser has read `html` again. */
  reread: string
}

const host = 'mail.test'
const style = `
  * { box-sizing: border-box }
  body { margin: 0; font: 16px sans-serif }
  header, footer { height: 80px }
  #row { display: flex; min-height: 80px }
  nav, aside { width: 120px; flex: none }
  #mail { width: 560px; max-height: 50000px; overflow: auto }`
const head = `<!doctype html><meta charset=utf-8><style>${style}</style>
<script src=/probe.js></script><link rel=icon href=data:,>`
const around = `<header id=top></header>
<div id=row><nav id=left></nav><div id=mail></div><aside id=right></aside></div>
<footer id=bottom></footer>`

/**
 * Page of a webmail in Chromium that contains messages as they are. Records scripts that run and
 * requests that leave the page. Host names below `.example` lead to a server without responses.
 */
export class MailPage implements AsyncDisposable {
  /** Records of scripts in the shown messages: dialogs, errors and URLs of frames. */
  readonly scripts: string[] = []
  /**
   * Requests that the shown messages caused: URLs of requests and windows, paths on the site of the
   * page, and connections to other hosts.
   */
  readonly requests: string[] = []
  readonly #stack = new AsyncDisposableStack()
  #document = ''
  #page!: Page

  static async open(): Promise<MailPage> {
    const page = new MailPage()
    await page.#open()
    return page
  }

  async #open(): Promise<void> {
    const site = createServer(({ url = '' }, response) => this.#respond(url, response))
    const others = createTcpServer((socket) => {
      this.requests.push('connection to another host')
      socket.on('error', () => undefined)
      socket.destroy()
    })
    const hosts = {
      [host]: await this.#listen(site),
      '*.example': await this.#listen(others),
      '*': '~NOTFOUND',
    }
    const browser = this.#stack.use(await testBrowser({ hosts }))
    this.#page = await browser.openDesktop()
    await this.#watch(this.#page)
  }

  async #listen(server: Server | TcpServer): Promise<string> {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    this.#stack.defer(() => void server.close())
    return `127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  #respond(url: string, response: ServerResponse): void {
    if (url === '/probe.js')
      return void response
        .setHeader('content-type', 'text/javascript')
        .end(readFileSync(new URL('page-probe.js', import.meta.url)))
    if (url === '/') return void response.setHeader('content-type', 'text/html').end(this.#document)
    this.requests.push(url)
    response.writeHead(404).end()
  }

  async #watch(page: Page): Promise<void> {
    await page.exposeFunction('recordScript', (text: string) => void this.scripts.push(text))
    await page.addInitScript(`
      for (const name of ['alert', 'confirm', 'prompt', 'print'])
        globalThis[name] = (text) => { recordScript(name + ' ' + text) }`)
    page.on('pageerror', (error) => void this.scripts.push(String(error)))
    page.on('dialog', (dialog) => {
      this.scripts.push(dialog.message())
      void dialog.dismiss()
    })
    page.on('frameattached', (frame) => void this.scripts.push(`frame ${frame.url()}`))
    page.context().on('page', (other) => void this.requests.push(`window ${other.url()}`))
    page.on('request', (request) => {
      const url = request.url()
      if (!/^(?:cid|data):/.test(url) && !url.startsWith(`http://${host}/`)) this.requests.push(url)
    })
  }

  /**
   * Loads a page in the browser that contains the messages, and shows each message in the middle of
   * the page.
   */
  async show(messages: readonly string[], examination: Examination): Promise<ShownMessage[]> {
    const boxes = messages.map((html, index) => {
      const [list, entry] = index % 2 === 0 ? ['ul', 'li'] : ['dl', 'dd']
      const box = `<${list}><${entry}><div class=box>${html}</div></${entry}></${list}>`
      return `<table><tr><td>${box}</td></tr></table>`
    })
    this.#document = `${head}${around}<div id=store hidden>${boxes.join('')}</div>`
    await this.#page.goto(`http://${host}/`)
    return this.#page.evaluate<ShownMessage[]>(`examineMessages(${JSON.stringify(examination)})`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync()
  }
}
