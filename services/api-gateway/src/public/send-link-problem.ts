import type { Request, Response } from 'express'
import { messagePage } from './page-layout.ts'
import { pageTheme, type PageThemeDeps } from './page-theme.ts'
import { sendPage } from './send-page.ts'

const statuses = { invalid: 403, unavailable: 503 }

/** Sends a page that states why a link in a message does not work. */
export async function sendLinkProblem(
  deps: PageThemeDeps,
  problem: keyof typeof statuses,
  { request, response }: { request: Request; response: Response },
): Promise<void> {
  const theme = await pageTheme(deps, request)
  sendPage(response, statuses[problem], messagePage(theme.language.texts.links[problem], theme))
}
