import { type RequestHandler, Router } from 'express'
import { smallBody } from '../read-form.ts'
import { type ImapFormDeps, onPerson, onServers, onTest } from './imap-form.ts'
import { type FormRequest, withFormLink } from './with-form-link.ts'
import { onChoice } from './sign-in-form.ts'

/** The hosted form. Like the links in messages it asks for no token: the signed link is the right to it. */
export function createHostedForm(deps: ImapFormDeps): Router {
  const at = (
    up: string,
    handler: (deps: ImapFormDeps, opened: FormRequest) => Promise<void>,
  ): RequestHandler => withFormLink(deps, up, (opened: FormRequest) => handler(deps, opened))
  const router = Router({ caseSensitive: true, strict: true })
  router.get('/accounts/new', at('', onChoice))
  router.post('/accounts/new/imap', smallBody, at('../', onPerson))
  router.post('/accounts/new/imap/test', smallBody, at('../../', onTest))
  router.post('/accounts/new/imap/server', smallBody, at('../../', onServers))
  return router
}
