// Makes code blocks and tables of documentation pages that scroll sideways reachable by keyboard.
function update() {
  for (const element of document.querySelectorAll('main :is(pre, table)'))
    if (element.scrollWidth > element.clientWidth) element.tabIndex = 0
    else element.removeAttribute('tabindex')
}

addEventListener('DOMContentLoaded', update)
addEventListener('resize', update)
