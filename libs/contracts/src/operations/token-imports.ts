import { defineOperation, operationKinds } from '../define.ts'
import { TokenImport, TokenImportResult } from '../schemas/token-import.ts'

export const importTokens = defineOperation({
  ...operationKinds('Token', 'admin', '*').write,
  id: 'importTokens',
  method: 'post',
  path: '/admin/api/tokenImports',
  summary: 'Import access tokens of EmailEngine',
  description:
    'Imports access tokens of EmailEngine by their ids, so that clients can keep their tokens. Imported tokens are valid as soon as the request succeeds. The request imports all of its tokens or, after an error, none of them. A repeated request changes nothing. An imported token cannot have more rights than the token that sends the request.',
  body: TokenImport,
  bodyLimit: 'upload',
  responseDescription: 'Numbers of imported and unchanged tokens, and the skipped tokens.',
  response: TokenImportResult,
  errors: ['MintWidensRestrictions', 'MailReadingRequired'],
})
