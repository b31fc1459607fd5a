// Sorts a table by a column when its heading is pressed: numbers by data-value, everything else as text.
(() => {
  document.querySelectorAll("table.sortable").forEach((table) => {
    const headings = [...table.querySelectorAll("thead th")];
    const body = table.tBodies[0];
    const text = (row, column) => row.cells[column].textContent;
    const value = (row, column) => row.cells[column].dataset.value;

    function compare(column, descending) {
      return (a, b) => {
        const numbers = [value(a, column), value(b, column)];
        // What has no number comes last either way.
        if (numbers.includes("")) return (numbers[0] === "") - (numbers[1] === "");
        const order = numbers.includes(undefined)
          ? text(a, column).localeCompare(text(b, column), "en", { numeric: true })
          : Number(numbers[0]) - Number(numbers[1]);
        return descending ? -order : order;
      };
    }

    headings.forEach((heading, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => {
        const descending = heading.ariaSort === "ascending";
        headings.forEach((other) => other.removeAttribute("aria-sort"));
        heading.ariaSort = descending ? "descending" : "ascending";
        body.append(...[...body.rows].sort(compare(column, descending)));
      });
    });
  });
})();
