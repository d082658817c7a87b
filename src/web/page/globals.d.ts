// d3 comes before the page's own modules, as one object.
declare const d3: any;
