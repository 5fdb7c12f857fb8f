/**
 * Document in a frame of the administration pages: the HTML of a message or of a template, or an
 * error text.
 */
export interface MessageDocument {
  /** HTML without active content, as `safeHtml` returns it. */
  html: string
  /** True if the reader has requested images of other hosts. */
  remoteImages: boolean
}

/**
 * Security headers of the HTML of a message or of a template. The document has an origin of its own
 * (`sandbox`), so that the document cannot reach the pages, their cookie or their storage. The
 * document can run no script, open no window, send no form and load nothing but images.
 */
export function messageHeaders(remoteImages: boolean): Readonly<Record<string, string>> {
  const policy = [
    'sandbox',
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `img-src data:${remoteImages ? ' https:' : ''}`,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
    ...(remoteImages ? ['upgrade-insecure-requests'] : []),
  ]
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy.join('; '),
    'X-Frame-Options': 'SAMEORIGIN',
    // Browsers resolve the host names of links in advance. Name servers would see these names.
    'X-DNS-Prefetch-Control': 'off',
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  }
}

/**
 * Renders the document of a frame. Messages expect a light background, so the document has no
 * dark theme. If the end of the message is missing, a sentence below the message says so.
 */
export function renderMessage(html: string, isCut: boolean): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light">
<title>Message</title>
<style>
body { margin: 0; padding: 0.75rem; background: #ffffff; color: #1a1f27; font-family: sans-serif }
.message { overflow: auto; overflow-wrap: anywhere }
.message img { max-width: 100%; height: auto }
</style>
</head>
<body>
<div class="message">${html}</div>
${isCut ? cutNote : ''}</body>
</html>
`
}

/** Text below a message whose end is missing. */
const cutNote =
  '<p><strong>The message is longer. Download its source to read all of it.</strong></p>\n'

/** Converts a plain text, such as the message of an error, to HTML that shows the text. */
export function textToHtml(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return `<p>${escaped}</p>`
}
