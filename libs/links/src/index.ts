export { keepLinkKey, type LinkKeys } from './link-keys.ts'
export { type ListMail, type ListLinks, listHeaders } from './list-headers.ts'
export { linkTo, readLink, type SignedLink, type SignedParts } from './signed-link.ts'
export { type Tracking, trackHtml } from './track-html.ts'
