/** The search of a validation report: shows the records that contain every word; the button of a rule searches for it. */
const search = document.getElementById("search");
const count = document.getElementById("count");
const articles = [...document.querySelectorAll("article")];
const texts = articles.map((each) => each.textContent.toLowerCase());

function show() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const [at, each] of articles.entries()) each.hidden = !words.every((word) => texts[at].includes(word));
  const shown = articles.filter((each) => !each.hidden).length;
  count.textContent = `${shown} of ${articles.length} shown`;
}

search.addEventListener("input", show);
for (const button of document.querySelectorAll("button[data-rule]")) {
  button.addEventListener("click", () => {
    search.value = button.dataset.rule;
    show();
    search.scrollIntoView();
  });
}
show();
