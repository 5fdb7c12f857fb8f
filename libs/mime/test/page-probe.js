// Script in the page of a `MailPage`: shows the messages of the page one after the other and
// examines them.

/** HTML elements around the messages as the page must keep them. */
const shells = [
  '<ul><li><div class="box"></div></li></ul>',
  '<dl><dd><div class="box"></div></dd></dl>',
].map((list) => `<table><tbody><tr><td>${list}</td></tr></tbody></table>`)

/** Names of browser events that event handlers in messages may wait for. */
const events = [
  'focus focusin blur click auxclick dblclick contextmenu mousedown mouseup mouseover mouseenter',
  'mousemove mouseout pointerover pointerdown keydown input change submit toggle beforetoggle wheel',
  'scroll load error animationstart animationend transitionend begin start finish drag drop paste',
].flatMap((line) => line.split(' '))
/** Maximum HTML elements of a message that are examined; large messages repeat few kinds. */
const maxElements = { events: 150, boxes: 500 }
/** Distance, in pixels, of the points at which the page with the messages is examined. */
const gap = 25

/**
 * Shows each message of the page in the browser. Returns its findings and the HTML of its elements.
 */
globalThis.examineMessages = async (rules) => {
  // Clicks on links to other sites are cancelled, because messages may contain such links.
  addEventListener(
    'click',
    (event) => {
      if (linkOf(event)?.protocol.match(/^(?:https?|mailto|tel):$/)) event.preventDefault()
    },
    true,
  )
  const mail = document.getElementById('mail')
  const store = document.getElementById('store')
  const results = []
  for (const element of store.children) {
    const box = element.querySelector('.box') ?? document.createElement('div')
    const html = box.innerHTML
    const stage = rules.withLayout ? mail : document.createElement('div')
    stage.replaceChildren(...box.childNodes)
    const findings = [
      ...(shells.includes(element.outerHTML)
        ? []
        : [`left its element: ${element.outerHTML.slice(0, 300)}`]),
      ...forbiddenParts(stage, rules),
      ...(rules.withLayout ? [...coveredPlaces(stage), ...outsideBoxes(stage)] : []),
    ]
    if (rules.withLayout) dispatchEvents(stage)
    const { body } = document.implementation.createHTMLDocument()
    body.innerHTML = html
    const reread = body.innerHTML
    results.push({ findings: [...new Set(findings)].slice(0, 20), html, reread })
  }
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
  mail.replaceChildren()
  return results
}

function linkOf(event) {
  return event.target instanceof Element ? event.target.closest('a[href]') : undefined
}

/** HTML elements, attributes and values in the page that a message must not contain. */
function* forbiddenParts(stage, rules) {
  for (const element of stage.querySelectorAll('*')) {
    const { localName, namespaceURI } = element
    const isHtml = namespaceURI === document.documentElement.namespaceURI
    if (!isHtml || !rules.elements.includes(localName)) yield `element ${localName}`
    if (element.shadowRoot) yield 'shadow root'
    for (const { name, value } of element.attributes)
      if (!isAllowedAttribute(name, value, rules)) yield `attribute ${name} ${value}`
    yield* forbiddenStyles(element.style ?? [], new RegExp(`^(?:${rules.properties})$`))
  }
}

function isAllowedAttribute(name, value, { attributes }) {
  if (name === 'href') return isAbsolute(value)
  if (name === 'src') return /^(?:cid:|data:image\/(?!svg))/i.test(value)
  if (name === 'target') return value === '_blank'
  return attributes.includes(name)
}

function* forbiddenStyles(style, properties) {
  for (const property of style)
    if (!properties.test(property)) yield `property ${property}`
    else if (property.startsWith('margin') && style[property].includes('-'))
      yield `${property} ${style[property]}`
  const functions = style.cssText?.match(/[\w-]*\(/g) ?? []
  if (functions.some((name) => !/^(?:rgb|hsl)a?\($/.test(name))) yield `style ${style.cssText}`
}

/** True for a link in a message whose target does not depend on the page. */
function isAbsolute(href) {
  const urls = ['https://one.test/a/', 'http://two.test/b/'].map((base) => new URL(href, base))
  return urls[0].href === urls[1].href && /^(?:https?|mailto|tel):$/.test(urls[0].protocol)
}

/** Points of the page around the message where a click would hit an element of the message. */
function* coveredPlaces(stage) {
  for (const y of [0, document.documentElement.scrollHeight]) {
    scrollTo(0, y)
    const box = stage.getBoundingClientRect()
    for (const [left, top] of pointsOutside(box))
      if (stage.contains(document.elementFromPoint(left, top)))
        yield `covers ${left},${top} outside ${JSON.stringify(box)}`
  }
  if (document.documentElement.scrollWidth > innerWidth) yield 'widens the page'
  for (const id of ['top', 'left', 'right', 'bottom'])
    if (!isVisible(document.getElementById(id))) yield `hides ${id}`
}

function* pointsOutside({ left, right, top, bottom }) {
  for (let x = gap / 2; x < innerWidth; x += gap)
    for (let y = gap / 2; y < innerHeight; y += gap)
      if (x < left || x >= right || y < top || y >= bottom) yield [x, y]
}

function isVisible(element) {
  element.scrollIntoView()
  const { left, top, width, height } = element.getBoundingClientRect()
  const hit = document.elementFromPoint(left + width / 2, top + Math.min(height / 2, 20))
  return width > 0 && hit === element
}

/**
 * HTML elements of the message that are not in the flow of the page or begin before the message.
 */
function* outsideBoxes(stage) {
  const { left, top } = stage.getBoundingClientRect()
  for (const element of [...stage.querySelectorAll('*')].slice(0, maxElements.boxes)) {
    const { position, transform, zIndex, display } = getComputedStyle(element)
    if (position !== 'static') yield `position ${position}`
    if (transform !== 'none' || zIndex !== 'auto') yield `transform ${transform}, ${zIndex}`
    // Inline elements are skipped: lines of text may be lower than their letters, and lines that
    // are aligned to the right overflow to the left.
    if (display.startsWith('inline')) continue
    const box = element.getBoundingClientRect()
    if (box.width === 0 && box.height === 0) continue
    const isReversed = element.parentElement.closest('[dir]') || element.closest('[align=right]')
    if (box.top < top - 1 || (box.left < left - 1 && !isReversed))
      yield `box of ${element.localName} at ${box.left - left},${box.top - top}`
  }
}

function dispatchEvents(stage) {
  for (const element of [...stage.querySelectorAll('*')].slice(0, maxElements.events)) {
    element.focus?.()
    for (const type of events) {
      const kind = type === 'click' ? MouseEvent : Event
      element.dispatchEvent(new kind(type, { bubbles: true, cancelable: true }))
    }
  }
}
