import { Type } from 'typebox'
import { defineOperation, operationKinds } from '../define.ts'
import { Bool, Strict, Text } from '../schemas/primitives.ts'

const { write } = operationKinds('Settings', 'admin', '*')

export const importLinkKey = defineOperation({
  ...write,
  id: 'importLinkKey',
  method: 'post',
  path: '/admin/api/linkKeyImports',
  summary: 'Import the secret with which EmailEngine signed links',
  description:
    'Stores the service secret of EmailEngine, so that links in messages that EmailEngine sent work here: open pixels, click redirects and links to unsubscribe. All replicas accept the links within 1 second. New links are never signed with the secret, and links to the hosted form are not accepted. A repeated import changes nothing. Up to 10 secrets can be stored.',
  body: Strict({
    secret: Text(
      'Setting `serviceSecret` of EmailEngine, unencrypted, 1 to 1,024 characters. No response contains the secret.',
      { minLength: 1, maxLength: 1_024 },
    ),
    dryRun: Type.Optional(
      Bool(
        'If true, nothing is stored. `imported` tells whether the secret would be stored. Defaults to false.',
        { default: false },
      ),
    ),
  }),
  responseDescription: 'Result of the import.',
  response: Type.Object({
    imported: Bool(
      'True if the secret is stored now, or would be stored without `dryRun`. False if the secret was stored before.',
    ),
  }),
  errors: ['UnsupportedOperation', 'WorkerNotAvailable', 'Timeout'],
})
