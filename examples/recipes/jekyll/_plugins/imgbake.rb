Jekyll::Hooks.register :site, :post_write do |site|
  if Jekyll.env == "production"
    system("imgbake", site.dest) or exit!(1)
  end
end
