extension DiagnosticTable {
    static let policies = [
        Row(
            .imageOverBudget,
            "A baked image is larger than 'budget: {image: …}' in imgbake.yml allows.",
            "lower --max-width or --quality, give the image attributes of its own, or raise the "
                + "budget"),
        Row(
            .pageOverBudget,
            """
            The baked images of one document are together larger than 'budget: {page: …}' in \
            imgbake.yml allows. An image that is named twice counts once, and of a srcset each \
            image.
            """, "use fewer or smaller images on the page, or raise the budget"),
        Row(
            .invalidBaseline,
            """
            A line of the baseline cannot be used: it is damaged, has marks of a merge conflict, or \
            is of a newer version of imgbake. The file is left as it is.
            """, "restore the file from version control, or delete it and give --update-baseline"),
        Row(
            .failureFixed, "A failure that the baseline knows did not happen any more.",
            "remove the line from the baseline, or give --update-baseline"),
        Row(
            .noEffect,
            """
            A setting changes nothing: no file, URL or host of the site matches its pattern, or it is \
            for documents that the site does not have. Told by bakes that read every document.
            """, "correct the setting, or remove it"),
    ]
}
