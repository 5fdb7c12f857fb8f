import { type Static, Type } from 'typebox'

const text = (maxLength: number) => Type.String({ minLength: 1, maxLength })
const format = Type.Optional(
  Type.Object({
    type: Type.Union([Type.Literal('text'), Type.Literal('json')]),
    subject_token_field_name: Type.Optional(text(256)),
  }),
)

/**
 * Configuration of Google's Workload Identity Federation, as `gcloud iam workload-identity-pools
 * create-cred-config` writes it. The identity token comes from a file or URL and is exchanged only
 * at Google. Other members have no effect.
 */
export const ExternalAccount = Type.Object({
  type: Type.Literal('external_account'),
  audience: Type.String({ maxLength: 1024, pattern: '^//iam\\.googleapis\\.com/[!-~]+$' }),
  subject_token_type: Type.String({
    maxLength: 256,
    pattern: '^urn:ietf:params:oauth:token-type:(jwt|id_token|saml2)$',
  }),
  token_url: Type.Literal('https://sts.googleapis.com/v1/token'),
  credential_source: Type.Union([
    Type.Object({ file: text(1024), format }),
    Type.Object({
      url: Type.String({ maxLength: 2048, format: 'http-url' }),
      headers: Type.Optional(Type.Record(text(256), Type.String({ maxLength: 4096 }))),
      format,
    }),
  ]),
})
export type ExternalAccount = Static<typeof ExternalAccount>
