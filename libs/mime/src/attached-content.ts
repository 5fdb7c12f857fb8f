/** An attachment as bytes. Its name and types may come from foreign messages, and are cleaned. */
export interface AttachedContent {
  content: Buffer
  filename?: string
  contentType?: string
  contentDisposition?: 'inline' | 'attachment'
  cid?: string
}
