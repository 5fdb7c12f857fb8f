import type { RequestHandler, Router } from 'express'
import { type Branding, escapeHtml, type Page, renderPage } from './page-layout.ts'
import { sendPage } from './send-page.ts'
import { chooseLanguage } from './texts/choose-language.ts'

export interface HomePageOptions {
  /** Origin of the administration pages. Undefined if they are not used. */
  adminUrl: string | undefined
  branding: () => Promise<Branding>
}

/**
 * Mounts the page at `/`, for people who open the address of the API in a browser, and the redirect
 * from `/admin` to the administration pages. Clients that do not prefer HTML get 404 at `/`.
 */
export function mountHomePage(router: Router, { adminUrl, branding }: HomePageOptions): void {
  router.get('/', async (request, response, next) => {
    response.vary('Accept')
    if (request.accepts(['json', 'html']) !== 'html') return next()
    sendPage(response, 200, homePage(adminUrl, await branding()))
  })
  const redirect: RequestHandler = (_request, response, next) => {
    if (adminUrl === undefined) return next()
    response.redirect(302, adminPages(adminUrl))
  }
  router.get(['/admin', '/admin/'], redirect)
}

function homePage(adminUrl: string | undefined, branding: Branding): Page {
  const links = [
    ['docs/', 'Documentation'],
    ['openapi.json', 'OpenAPI document'],
    ...(adminUrl === undefined ? [] : [[adminPages(adminUrl), 'Administration']]),
    ['health/ready', 'Health'],
  ]
  const items = links.map(
    ([href = '', text]) => `<a class="button second" href="${escapeHtml(href)}">${text}</a>`,
  )
  const lead = '<p>Mailboxes of customers through one JSON REST API.</p>'
  const body = `<h1>Posthorn</h1>\n${lead}\n<nav>${items.join('\n')}</nav>`
  return renderPage(
    { title: 'Posthorn', body },
    { ...branding, language: chooseLanguage({ link: 'en' }) },
  )
}

function adminPages(adminUrl: string): string {
  return `${adminUrl}/admin/`
}
