/**
 * Internal modules of nodemailer that its main module does not export. All other files of this
 * package use nodemailer only through this file. The test `nodemailer.test.ts` fails if an update
 * changes an internal module.
 */

/**
 * Composer of nodemailer, which builds a MIME message without sending it. This package uses
 * `compile()` and three members of its result: `keepBcc` (drafts contain Bcc), `build()`, and
 * `buildHeaders()` (only the header section).
 */
export { default as MailComposer } from 'nodemailer/lib/mail-composer'
/**
 * Encodes one word of a header (RFC 2047). Needed for ASCII words that are longer than a line,
 * which nodemailer's composer does not encode.
 */
export { encodeWord } from 'nodemailer/lib/mime-funcs'
/** Parses an address list like nodemailer's composer, which has its own rules for groups. */
export { default as parseAddresses } from 'nodemailer/lib/addressparser'
