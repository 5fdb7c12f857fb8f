/**
 * Sub-modules of nodemailer that its main module does not export. Nothing else in this package
 * imports nodemailer; `nodemailer.test.ts` fails if an update changes a sub-module.
 */

/**
 * Composer of nodemailer, which builds MIME without a transport. Used members: `compile()`, and of
 * its result `keepBcc` (drafts show Bcc), `build()` and `buildHeaders()` (a header section without
 * a body).
 */
export { default as MailComposer } from 'nodemailer/lib/mail-composer'
/**
 * Encodes one word of a header (RFC 2047). The composer does not encode an ASCII word longer than a
 * line.
 */
export { encodeWord } from 'nodemailer/lib/mime-funcs'
/**
 * Parses the address lists that nodemailer's composer writes, with the composer's rules for groups.
 */
export { default as parseAddresses } from 'nodemailer/lib/addressparser'
