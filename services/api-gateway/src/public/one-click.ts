/**
 * True for the body of a one-click unsubscribe request: `List-Unsubscribe=One-Click`, URL-encoded
 * or multipart (RFC 8058 §3.2). A missing content type is accepted.
 */
export function isOneClick(contentType: string | undefined, body: string): boolean {
  if (contentType?.toLowerCase().startsWith('multipart/form-data')) return hasOneClickPart(body)
  return isOneClickValue(new URLSearchParams(body.trim()).get('List-Unsubscribe'))
}

function isOneClickValue(value: string | null): boolean {
  return value?.trim().toLowerCase() === 'one-click'
}

/**
 * Searches a multipart body for the field of a one-click unsubscribe request. Reads the lines of
 * the body once. The value of a field is the first line after the part's headers.
 */
function hasOneClickPart(body: string): boolean {
  let isHeader = false
  let isNamed = false
  for (const line of body.split('\n')) {
    const text = line.trim()
    if (text.startsWith('--')) {
      isHeader = true
      isNamed = false
    } else if (isHeader && text !== '') {
      isNamed ||= isFieldHeader(text.toLowerCase())
    } else if (isHeader) {
      isHeader = false
    } else {
      if (isNamed && isOneClickValue(text)) return true
      isNamed = false
    }
  }
  return false
}

/**
 * True for the header of the one-click field in a multipart body. RFC 7578 §4.2: the parameter
 * `name` of Content-Disposition is the name of the field.
 */
function isFieldHeader(header: string): boolean {
  const [kind, ...parameters] = header.split(';').map((part) => part.trim())
  const names = ['name="list-unsubscribe"', 'name=list-unsubscribe']
  return (
    kind?.startsWith('content-disposition:') === true &&
    parameters.some((parameter) => names.includes(parameter))
  )
}
